import type { Access } from "../../documents/access.ts";
import { teamsOf } from "../../documents/administration/entrance.ts";
import { clientEntrance, type Identify, type Open } from "../../documents/entrance.ts";
import { ApiError } from "../../errors.ts";
import { chained } from "../events/chains.ts";
import { identityOf } from "./exchange.ts";

/** The way of functions themselves: past the rules within their scopes, creating in any organization. */
export const functionEntrance: Open = (realm) => {
  const withheldNow = realm.organizations?.withheld;
  const identify: Identify = (exchange) => {
    const { own } = identityOf(exchange);
    if (withheldNow === undefined) return own;
    const withheld = withheldNow();
    const knowing = (known: Access["withheld"]): Access => ({ ...own, withheld: known });
    return withheld instanceof Promise ? withheld.then(knowing) : knowing(withheld);
  };
  return {
    class: "document",
    name: "_func/",
    reader: identify,
    further: (access) => access,
    writer: identify,
    place: async (_, named) => ({ ...named, teams: await teamsOf(realm, named.org) }),
  };
};

/** The way of who called a function: as if they had sent the requests themselves. */
export const callerEntrance: Open = (realm, collections) => {
  const entrance = clientEntrance(
    {
      ...realm,
      authenticate(exchange) {
        const { caller } = identityOf(exchange);
        if (caller === undefined) throw new ApiError("forbidden", "Nobody called this function.");
        return caller;
      },
    },
    collections,
  );
  return {
    ...entrance,
    writer(exchange) {
      const access = entrance.writer(exchange);
      const { own } = identityOf(exchange);
      const chain = own.author?.chain;
      if (chain === undefined) return access;
      const marked = (known: Access): Access => {
        return { ...known, author: chained(known.author, chain), audit: own.audit };
      };
      return access instanceof Promise ? access.then(marked) : marked(access);
    },
  };
};
