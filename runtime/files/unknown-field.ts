import { mayRead } from "../documents/access.ts";
import type { Open } from "../documents/entrance.ts";
import { isHidden } from "../documents/query/hidden.ts";
import { ApiError, nothingHere } from "../errors.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { RouteFactory } from "../realm/exchange.ts";
import { alternatives } from "../suggest.ts";

/**
 * Answers requests to a file field that the collection does not declare: 404, with the names of the fields that there are for
 * whoever may read documents there, but for fields that are hidden from them.
 */
export function unknownField(definition: CollectionDefinition, open: Open): RouteFactory {
  const { files = [] } = definition;
  return (realm) => {
    const entrance = open(realm, [definition]);
    return {
      class: entrance.class,
      async handle(exchange) {
        const access = await entrance.reader(exchange);
        const shown = mayRead(definition, access)
          ? files.filter(({ name }) => !isHidden(definition, access, name)).map(({ name }) => name)
          : [];
        if (shown.length === 0) throw nothingHere();
        throw new ApiError(
          "not_found",
          `There is no such file field; files here are in ${alternatives(shown)}.`,
        );
      },
    };
  };
}
