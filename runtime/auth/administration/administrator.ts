import { ApiError } from "../../errors.ts";
import { contains, parseNetwork } from "../../http/address.ts";
import type { AdminArea, Administration } from "../../realm/administration.ts";
import { type Caller, isSession, type KeyCaller, type SessionCaller } from "../../realm/caller.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import { unauthenticated } from "../authenticate.ts";

/** Who administers: an API key, or a user in a session. */
export interface Administrator {
  readonly caller: KeyCaller | SessionCaller;
  readonly administration: Administration;
}

/** What a route of `_admin` needs: to look at an area, or to change things in it. */
export interface Need {
  readonly area: AdminArea;
  /** Another area that does as well. */
  readonly or?: AdminArea;
  readonly to: "see" | "change";
}

/**
 * Who administers; counts as a use of a session's administration.
 * @returns what answers it, or throws ApiError `unauthenticated` | `forbidden` | `reauth_required`
 */
export function admission(
  realm: RealmInstance,
): (caller: Caller, exchange: Exchange, need: Need) => Administrator {
  const networks = realm.definition.adminNetworks
    ?.map(parseNetwork)
    .filter((network) => network !== undefined);
  return (caller, exchange, need) => {
    const administrator = administratorOf(caller);
    if (networks !== undefined && !contains(networks, exchange.address)) {
      throw new ApiError("forbidden", "Administration is not allowed from this network.");
    }
    const { caller: by } = administrator;
    if (by.kind === "user" && by.credential.lapsed) {
      throw new ApiError(
        "reauth_required",
        "Administration in this session is over; prove who you are again.",
      );
    }
    if (!areasOf(need).some((area) => administrator.administration[need.to].has(area))) {
      const areas = areasOf(need).join(" or ");
      throw new ApiError("forbidden", `This needs administration of the area ${areas}.`);
    }
    if (by.kind === "user") realm.administers(by);
    return administrator;
  };
}

function areasOf({ area, or }: Need): readonly AdminArea[] {
  return or === undefined ? [area] : [area, or];
}

function administratorOf(caller: Caller): Administrator {
  if (caller.kind === "anonymous") throw unauthenticated("This needs administration.");
  if (caller.kind === "key" && caller.administration !== undefined) {
    return { caller, administration: caller.administration };
  }
  if (isSession(caller)) {
    const { administration } = caller.credential;
    if (administration !== undefined) return { caller, administration };
  }
  throw new ApiError("forbidden", "This needs administration.");
}
