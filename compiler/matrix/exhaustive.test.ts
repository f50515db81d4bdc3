/** Every "always" and "never" of the matrix against all callers and documents of a small domain. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject } from "../../runtime/json.ts";
import { isFull } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import { smallFields, smallRule, smallWorlds } from "../proofs/testing/small-domain.ts";
import type { CompiledRule } from "../rules/compiled.ts";
import { holds, type World } from "../rules/form/evaluate.ts";
import { compileRules } from "../rules/rules.ts";
import { ofOrganizations, ruleSource } from "../rules/testing/realms.ts";
import { matrixOf } from "./matrix.ts";
import { realmOf } from "./testing/subjects.ts";

const number = isFull ? 300 : 12;

/** Who is in a row, and whose documents it is about: as docs/matrix.md defines it. */
const rows: Readonly<Record<string, (world: World) => boolean>> = {
  anonymous: ({ context }) => context.user === undefined,
  "signed in": (world) => isPlain(world) && !isOwn(world),
  owner: (world) => isPlain(world) && isOwn(world),
  "role admin": ({ context }) => context.user?.roles[0] === "admin" && context.memberships.size === 0,
  member: (world) => isMember(world, "", false),
  "org role clerk": (world) => isMember(world, "clerk", false),
  team: (world) => isMember(world, "", true) && rolesInTeam(world) === "",
  "team role lead": (world) => isMember(world, "", true) && rolesInTeam(world) === "lead",
};

function isPlain({ context }: World): boolean {
  return context.user?.roles.length === 0 && context.memberships.size === 0;
}

function isOwn({ context, document }: World): boolean {
  return metaOf(document)["owner"] === context.user?.id;
}

function isMember({ context, document }: World, roles: string, isInTeam: boolean): boolean {
  const member = context.memberships.get("o1");
  const { org, team } = metaOf(document);
  if (member === undefined || context.user?.roles.length !== 0 || org !== "o1") return false;
  if ([...member.roles].join() !== roles || member.teams.has("t1") !== isInTeam) return false;
  return !isInTeam || team === "t1";
}

function rolesInTeam({ context }: World): string {
  return [...(context.memberships.get("o1")?.teamRoles.get("t1") ?? [])].join();
}

function metaOf(document: World["document"]) {
  const meta = document?.["_meta"];
  return isJsonObject(meta) ? meta : {};
}

test("what a cell says is always or never so has no exception in a small domain", () => {
  const worldsOf = new Map(Object.entries(rows).map(([row, isOf]) => [row, smallWorlds.filter(isOf)]));
  for (const [row, worlds] of worldsOf) expect([row, worlds.length > 100]).toEqual([row, true]);
  const texts = fc.sample(smallRule(2), { seed: 43, numRuns: 2 * number });
  const collections = Array.from({ length: number }, (_, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: smallFields,
      rules: {
        read: ruleSource(texts[2 * at] ?? "false", "read", 1),
        delete: ruleSource(texts[2 * at + 1] ?? "false", "delete", 2),
      },
    }),
  );
  const realm = realmOf(collections);
  const stage = compileRules(realm);
  const matrix = matrixOf([{ realm, rules: stage }]).realms["desk"] ?? {};
  const claimed = { always: 0, never: 0 };
  for (const { name } of collections) {
    const { read, delete: remove } = stage.collections.get(`db/${name}`)?.rules ?? {};
    if (read === undefined || remove === undefined) continue;
    for (const [row, worlds] of worldsOf) {
      const cells = matrix[`db/${name}`]?.[row] ?? {};
      const columns: Readonly<Record<string, readonly CompiledRule[]>> = {
        read: [read],
        delete: [read, remove],
      };
      for (const [column, asked] of Object.entries(columns)) {
        const cell = cells[column]?.cell;
        if (cell !== "always" && cell !== "never") continue;
        claimed[cell]++;
        const happens = (world: World) => asked.every(({ form }) => holds(form.condition, world));
        const exception = worlds.find((world) => happens(world) !== (cell === "always"));
        if (exception !== undefined)
          expect.fail(`${row}: ${column} is not ${cell}: ${JSON.stringify({ texts, exception })}`);
      }
    }
  }
  expect(claimed.always).toBeGreaterThan(number / 4);
  expect(claimed.never).toBeGreaterThan(number);
}, 600_000);
