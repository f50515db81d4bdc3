import { applyAccount } from "./accounts.ts";
import { applyAdministration } from "./administration.ts";
import { applyDocument } from "./documents.ts";
import { applyInvitation } from "./invitations.ts";
import type { Operation } from "./operations.ts";
import { applyOrganization } from "./organizations.ts";
import { applyTeam } from "./teams.ts";
import { managersOf, Refused, type World } from "./world.ts";

/** What an operation answers, and what is then. */
export interface Applied {
  /** The status, and the code of an error: `409 slug_taken`. */
  readonly outcome: string;
  readonly world: World;
}

/** What an operation is to do; the world that is given stays as it is. */
export function applied(world: World, operation: Operation): Applied {
  const next = structuredClone(world);
  try {
    const outcome = change(next, operation);
    for (const org of next.orgs.values()) org.returned &&= managersOf(next, org).length === 0;
    return { outcome, world: next };
  } catch (error) {
    if (error instanceof Refused) return { outcome: error.outcome, world };
    throw error;
  }
}

function change(world: World, operation: Operation): string {
  switch (operation.kind) {
    case "create":
    case "patch":
    case "delete":
    case "roles":
    case "remove":
    case "leave":
      return applyOrganization(world, operation);
    case "team":
    case "team patch":
    case "team delete":
    case "team add":
    case "team drop":
    case "role give":
    case "role change":
    case "role take":
      return applyTeam(world, operation);
    case "invite":
    case "admin invite":
    case "revoke":
    case "link":
    case "send":
    case "preview":
    case "accept":
      return applyInvitation(world, operation);
    case "account":
    case "wait":
      return applyAccount(world, operation);
    case "write":
    case "read":
    case "update":
      return applyDocument(world, operation);
    default:
      return applyAdministration(world, operation);
  }
}
