import type { Who } from "../../contract/contract.ts";
import { ApiError } from "../../errors.ts";
import { contains, parseNetwork } from "../../http/address.ts";
import type { Administration } from "../../realm/administration.ts";
import {
  type BoundCaller,
  type Caller,
  isBound,
  isSession,
  type KeyCaller,
  type SessionCaller,
} from "../../realm/caller.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import { unauthenticated } from "../authenticate.ts";

/** Who administers: an API key, or a user in a session or by a personal token. */
export interface Administrator {
  readonly caller: KeyCaller | SessionCaller | BoundCaller;
  readonly administration: Administration;
}

/** What a route of `_admin` needs. */
export type Need = Pick<Extract<Who, { kind: "administrator" }>, "area" | "or" | "to">;

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
    if (isSession(by) && by.credential.lapsed) {
      throw new ApiError(
        "reauth_required",
        "Administration in this session is over; prove who you are again.",
      );
    }
    const areas = need.or === undefined ? [need.area] : [need.area, need.or];
    if (!areas.some((area) => administrator.administration[need.to].has(area))) {
      throw new ApiError("forbidden", `This needs administration of the area ${areas.join(" or ")}.`);
    }
    if (isSession(by)) realm.administers(by);
    return administrator;
  };
}

function administratorOf(caller: Caller): Administrator {
  if (caller.kind === "anonymous") throw unauthenticated("This needs administration.");
  if (caller.kind === "key" && caller.administration !== undefined) {
    return { caller, administration: caller.administration };
  }
  if (isSession(caller) || isBound(caller)) {
    const { administration } = caller.credential;
    if (administration !== undefined) return { caller, administration };
  }
  throw new ApiError("forbidden", "This needs administration.");
}
