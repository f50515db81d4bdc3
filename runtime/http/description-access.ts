import { ApiError } from "../errors.ts";
import { anonymous } from "../realm/caller.ts";
import type { Exchange, RealmInstance, RouteClass } from "../realm/exchange.ts";

/** Whom a realm's description is for (`openapi` of realm.yaml), and so the page on it. */
export interface DescriptionAccess {
  readonly class: RouteClass;
  /**
   * Whether this caller may read it.
   * Rejects as {@link RealmInstance.authenticate} does.
   */
  readonly admits: (exchange: Exchange) => Promise<boolean>;
  readonly refusal: () => ApiError;
}

export function descriptionAccess({ definition, authenticate }: RealmInstance): DescriptionAccess {
  const { openapi, accounts } = definition;
  const forUsers = openapi?.access === "users";
  return {
    class: forUsers ? "document" : "description",
    async admits(exchange) {
      // Without accounts there are no credentials to look at.
      const caller = accounts === undefined ? anonymous : await authenticate(exchange);
      return !forUsers || caller.kind !== "anonymous";
    },
    refusal: () => new ApiError("unauthenticated", "The description is for signed-in users."),
  };
}
