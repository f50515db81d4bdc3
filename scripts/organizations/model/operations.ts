import type { Caller, CollectionName, Invitation, PersonName, Role, TeamRole } from "./world.ts";

/** A proof of identity is sent along. */
interface Proved {
  readonly proof: boolean;
}

interface Inviting extends Pick<Invitation, "binding" | "roles" | "teams"> {
  /** The first token has the handle of the invitation. */
  readonly invitation: string;
  readonly org: string;
  /** Whom it is for, by account or by address; with binding `none` nobody. */
  readonly person: PersonName;
  readonly maxUses: number;
  /** Minutes. */
  readonly lifetime: number;
}

/** Of a team role: minutes from now on, which may be negative; null: without end there; undefined: not said. */
export type Bound = number | null | undefined;

interface GivingTeamRole {
  readonly by: Caller;
  readonly org: string;
  readonly team: string;
  readonly person: PersonName;
  readonly role: TeamRole;
  readonly from?: Bound;
  readonly until?: Bound;
}

/**
 * What is done, as plain data: a sequence of it can be printed, cut and done again. Handles of what is not there (any
 * longer) stand for ids that nothing has.
 */
export type Operation =
  | {
      readonly kind: "create";
      readonly by: Caller;
      readonly org: string;
      readonly name: string;
      readonly slug?: string;
    }
  | ({
      readonly kind: "patch";
      readonly by: Caller;
      readonly org: string;
      readonly name?: string;
      readonly slug?: string;
      readonly requireMfa?: boolean;
    } & Proved)
  | ({ readonly kind: "delete"; readonly by: Caller; readonly org: string } & Proved)
  | {
      readonly kind: "roles";
      readonly by: Caller;
      readonly org: string;
      readonly person: PersonName;
      readonly roles: readonly Role[];
    }
  | { readonly kind: "remove"; readonly by: Caller; readonly org: string; readonly person: PersonName }
  | { readonly kind: "leave"; readonly by: Caller; readonly org: string }
  | {
      readonly kind: "team";
      readonly by: Caller;
      readonly org: string;
      readonly team: string;
      readonly name: string;
      readonly roles: readonly Role[];
    }
  | {
      readonly kind: "team patch";
      readonly by: Caller;
      readonly org: string;
      readonly team: string;
      readonly name?: string;
      readonly roles?: readonly Role[];
    }
  | { readonly kind: "team delete"; readonly by: Caller; readonly org: string; readonly team: string }
  | {
      readonly kind: "team add" | "team drop";
      readonly by: Caller;
      readonly org: string;
      readonly team: string;
      readonly person: PersonName;
    }
  | ({ readonly kind: "role give" | "role change" | "role take" } & GivingTeamRole)
  | ({ readonly kind: "invite"; readonly by: Caller } & Inviting)
  | { readonly kind: "revoke"; readonly by: Caller; readonly org: string; readonly invitation: string }
  /** The new token has this handle. */
  | {
      readonly kind: "link" | "send";
      readonly by: Caller;
      readonly org: string;
      readonly invitation: string;
      readonly token: string;
    }
  | { readonly kind: "preview"; readonly by: Caller; readonly token: string }
  | { readonly kind: "accept"; readonly by: Caller; readonly token: string }
  | {
      readonly kind: "admin create";
      readonly org: string;
      readonly person: PersonName;
      readonly name: string;
      readonly slug?: string;
    }
  | { readonly kind: "admin delete"; readonly org: string }
  | { readonly kind: "admin reactivate"; readonly org: string; readonly slug?: string }
  | {
      readonly kind: "admin put";
      readonly org: string;
      readonly person: PersonName;
      readonly roles: readonly Role[];
    }
  | { readonly kind: "admin remove"; readonly org: string; readonly person: PersonName }
  | { readonly kind: "admin claims"; readonly org: string; readonly plan?: string }
  | { readonly kind: "admin manager"; readonly org: string; readonly person: PersonName }
  | ({ readonly kind: "admin invite" } & Inviting)
  | {
      readonly kind: "account";
      readonly person: PersonName;
      readonly to: "disabled" | "enabled" | "deleted" | "anew";
    }
  /** Minutes go by. */
  | { readonly kind: "wait"; readonly minutes: number }
  | {
      readonly kind: "write";
      readonly by: Caller;
      readonly document: string;
      readonly collection: CollectionName;
      readonly org?: string;
      readonly team?: string;
    }
  | { readonly kind: "read" | "update"; readonly by: Caller; readonly document: string };

/** Operations that are done at the same moment, in no order; mostly one. */
export type Step = readonly Operation[];

export function print(step: Step): string {
  return step.map((operation) => JSON.stringify(operation)).join("\n  beside ");
}
