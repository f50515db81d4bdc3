import type { Operation } from "./operations.ts";
import {
  accountOf,
  type Caller,
  type CollectionName,
  type Doc,
  effective,
  holdsNow,
  membership,
  type Role,
  refuse,
  usesFactor,
  type World,
} from "./world.ts";

type DocumentOperation = Extract<Operation, { kind: "write" | "read" | "update" }>;

/** As `config/tenants/main` has them. */
const belonging: Readonly<
  Record<CollectionName, { readonly org: "required" | "optional"; readonly team?: "required" | "optional" }>
> = {
  tasks: { org: "required", team: "optional" },
  ledgers: { org: "required" },
  drafts: { org: "required", team: "required" },
  reviews: { org: "optional", team: "optional" },
  plans: { org: "required" },
};

/** Who asks for documents: somebody, or a key, which the rules do not concern and which is in no organization. */
type Asking = { readonly account: string; readonly mfa: boolean } | "key";

export function applyDocument(world: World, operation: DocumentOperation): string {
  // A parameter that the route does not have is refused before any rule is asked; strangers are only refused by rules.
  if (operation.by.kind === "anonymous" && operation.kind === "write") requireParameters(operation);
  const asking = askingOf(world, operation.by);
  if (operation.kind === "write") {
    const { collection, org, team } = operation;
    requirePlace(world, asking, collection, org, team);
    world.documents.set(operation.document, { collection, org, team });
    return "201";
  }
  const document = world.documents.get(operation.document);
  if (document === undefined || !sees(world, asking, document)) refuse("404 not_found");
  if (operation.kind === "update" && !mayUpdate(world, asking, document)) refuse("403 forbidden");
  return "200";
}

export function askingOf(world: World, caller: Caller): Asking {
  if (caller.kind === "anonymous") refuse("401 unauthenticated");
  if (caller.kind === "key") return "key";
  const { id, status } = accountOf(world, caller.person);
  if (caller.kind === "delegate") {
    if (status === "deleted") refuse("400 invalid_header");
    if (status === "disabled") refuse("403 forbidden");
    return { account: id, mfa: false };
  }
  if (status !== "active") refuse("401 unauthenticated");
  return { account: id, mfa: usesFactor(caller) };
}

function requirePlace(
  world: World,
  asking: Asking,
  collection: CollectionName,
  org: string | undefined,
  team: string | undefined,
): void {
  const { org: orgs, team: teams } = belonging[collection];
  requireParameters({ collection, team });
  if (org === undefined) {
    if (orgs === "required" || team !== undefined) refuse("400 org_required");
    return;
  }
  const found = asking === "key" ? undefined : membership(world, org, asking.account, asking.mfa);
  if (found === undefined) refuse("403 not_org_member");
  if (team === undefined) {
    if (teams === "required") refuse("400 team_required");
  } else if (!found.org.teams.has(team) || !found.member.teams.includes(team)) refuse("403 forbidden");
  if (collection === "ledgers" && !holds(world, asking, org, "owner", "clerk")) refuse("403 forbidden");
}

function requireParameters({
  collection,
  team,
}: {
  readonly collection: CollectionName;
  readonly team?: string | undefined;
}): void {
  if (team !== undefined && belonging[collection].team === undefined) refuse("400 team_not_allowed");
}

/** Documents of deleted organizations are nobody's to see. */
export function sees(world: World, asking: Asking, { collection, org, team }: Doc): boolean {
  if (org !== undefined && world.orgs.get(org)?.status === "deleted") return false;
  if (asking === "key") return true;
  switch (collection) {
    case "tasks":
      return found(world, asking, org) !== undefined;
    case "ledgers":
      return holds(world, asking, org, "owner", "clerk");
    case "drafts":
      return isInTeam(world, asking, org, team);
    case "reviews":
      return holdsIn(world, asking, org, team, "lead", "reviewer");
    case "plans":
      return found(world, asking, org)?.org.claims.plan === "pro";
  }
}

function mayUpdate(world: World, asking: Asking, document: Doc): boolean {
  if (document.collection === "ledgers") return holds(world, asking, document.org, "owner");
  if (document.collection === "reviews") return holdsIn(world, asking, document.org, document.team, "lead");
  return sees(world, asking, document);
}

function found(world: World, asking: Asking, org: string | undefined) {
  return asking === "key" ? undefined : membership(world, org, asking.account, asking.mfa);
}

function holds(world: World, asking: Asking, org: string | undefined, ...any: readonly Role[]): boolean {
  if (asking === "key") return true;
  const standing = found(world, asking, org);
  return standing !== undefined && any.some((role) => effective(standing.org, standing.member).has(role));
}

function isInTeam(world: World, asking: Asking, org: string | undefined, team = ""): boolean {
  const standing = found(world, asking, org);
  return standing?.org.teams.has(team) === true && standing.member.teams.includes(team);
}

function holdsIn(
  world: World,
  asking: Asking,
  org: string | undefined,
  team: string | undefined,
  ...any: readonly string[]
): boolean {
  if (asking === "key") return true;
  const standing = found(world, asking, org);
  return (
    standing?.member.teamRoles.some(
      (held) => held.team === team && any.includes(held.role) && holdsNow(held, world.now),
    ) === true
  );
}
