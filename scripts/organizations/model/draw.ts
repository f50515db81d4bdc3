/** Sequences of operations, drawn so that most of them have something to do with what is there. */
import { Choices } from "./choices.ts";
import { operationOf } from "./draw-operation.ts";
import type { Operation, Step } from "./operations.ts";
import type { Random } from "./prng.ts";
import type { Kind } from "./themes.ts";
import type { World } from "./world.ts";

/** How sequences begin, so that there is something to do with. */
const opening: readonly Kind[] = [
  "create",
  "create",
  "admin put",
  "admin put",
  "admin put",
  "team",
  "team add",
  "role give",
  "invite",
  "write",
];

/**
 * The step of this number, from 0.
 * @param kinds that it is drawn from
 */
export function draw(random: Random, world: World, at: number, kinds: readonly Kind[]): Step {
  const serial = 2 * at;
  const first = drawOperation(random, world, serial, opening[at] ?? random.pick(kinds));
  if (!random.chance(0.25)) return [first];
  // The same at the same time, by others, is where races are.
  const kind = random.chance(0.5) ? first.kind : random.pick(kinds);
  const second = drawOperation(random, world, serial + 1, kind, "org" in first ? first.org : undefined);
  return isApart(first, second) ? [first, second] : [first];
}

/** Time goes by for both, sessions are made again by hand, and a mail does not say which request sent it. */
function isApart(first: Operation, second: Operation): boolean {
  const both = [first.kind, second.kind];
  if (both.some((kind) => kind === "wait" || kind === "account")) {
    return !both.includes("wait") && first.kind !== second.kind;
  }
  return !both.every((kind) => kind === "send");
}

function drawOperation(random: Random, world: World, serial: number, kind: Kind, near?: string): Operation {
  const choices = new Choices(random, world, near);
  // Mostly there is something to do it with.
  return operationOf(choices, random.chance(0.9) ? possible(kind, choices) : kind, serial);
}

/** The kind itself, or the one that makes what it is about. */
function possible(kind: Kind, choices: Choices): Kind {
  const { org, world } = choices;
  if (org === undefined) return kind;
  const teams = org.teams.size;
  const orgs = [...world.orgs.values()];
  const held = [...org.members.values()].some(({ teamRoles }) => teamRoles.length > 0);
  switch (kind) {
    case "preview":
    case "accept":
      return choices.pending().length > 0 ? kind : "invite";
    case "revoke":
    case "link":
    case "send":
      return org.invitations.size > 0 ? kind : "invite";
    case "team patch":
    case "team delete":
    case "team add":
    case "team drop":
    case "role give":
      return teams > 0 ? kind : "team";
    case "role change":
    case "role take":
      return held ? kind : teams > 0 ? "role give" : "team";
    case "read":
    case "update":
      return world.documents.size > 0 ? kind : "write";
    case "admin reactivate":
      return orgs.some(({ status }) => status === "deleted") ? kind : "patch";
    default:
      return kind;
  }
}
