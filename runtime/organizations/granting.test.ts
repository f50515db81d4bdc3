import { describe, expect, test } from "vitest";
import type { Manage } from "../realm/organizations.ts";
import { changedRoles, isManaging, mayGive, teamsOf } from "./granting.ts";
import { organizationSettings as settings } from "./testing/realm.ts";

function mayGiveAs(
  manage: readonly Manage[],
  roles: readonly string[],
  ...teams: readonly string[][]
): boolean {
  return mayGive(
    settings,
    { manage: new Set(manage) },
    roles,
    teams.map((carried) => ({ roles: carried })),
  );
}

describe("Organization endpoints 3: who may give a role", () => {
  test("one who manages members or roles, and all that the role manages", () => {
    expect(mayGiveAs(["org", "members", "roles", "teams"], ["owner", "clerk", "keeper", "member"])).toBe(
      true,
    );
    expect(mayGiveAs(["members"], ["clerk", "member"])).toBe(true);
    expect(mayGiveAs(["members"], ["keeper"])).toBe(false);
    expect(mayGiveAs(["members"], ["member", "owner"])).toBe(false);
    expect(mayGiveAs(["roles"], ["member"])).toBe(true);
    expect(mayGiveAs(["roles"], ["clerk"])).toBe(false);
    expect(mayGiveAs(["roles", "teams"], ["keeper"])).toBe(true);
    expect(mayGiveAs(["org", "teams"], ["member"])).toBe(false);
    expect(mayGiveAs([], ["member"])).toBe(false);
  });

  test("a team counts as the roles it carries; one that carries none gives nothing", () => {
    expect(mayGiveAs(["members", "teams"], [], ["owner"])).toBe(false);
    expect(mayGiveAs(["members", "teams"], ["clerk"], ["member"], ["keeper"])).toBe(true);
    expect(mayGiveAs(["teams"], [], ["member"])).toBe(false);
    expect(mayGiveAs(["teams"], [], [], [])).toBe(true);
    expect(mayGiveAs([], [])).toBe(true);
  });

  test("roles that the configuration no longer has give nothing, whatever they are called", () => {
    expect(mayGiveAs(["teams"], ["retired", "__proto__"], ["constructor"])).toBe(true);
  });
});

test("Organization endpoints 3: what an open link cannot give is what manages anything, directly or through a team", () => {
  expect(isManaging(settings, ["member", "retired"])).toBe(false);
  expect(isManaging(settings, ["member", "keeper"])).toBe(true);
  expect(isManaging(settings, ["member"], [{ roles: ["member"] }, { roles: ["clerk"] }])).toBe(true);
  expect(isManaging(settings, [], [{ roles: [] }])).toBe(false);
});

test("what is given and taken is what differs", () => {
  expect(changedRoles(["owner", "member"], ["member", "clerk"])).toEqual(["clerk", "owner"]);
  expect(changedRoles(["owner", "member"], ["member", "owner"])).toEqual([]);
});

test("teams of ids that there are none of are left out", () => {
  const team = { id: "t1", name: "Desk", roles: [] };
  expect(teamsOf({ teams: [team] }, ["t2", "t1", "__proto__"])).toEqual([team]);
});
