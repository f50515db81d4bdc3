import { expect, it } from "vitest";
import { noMemberships } from "../realm/memberships.ts";
import type { RuleContext } from "../realm/rule.ts";
import { allowed, byCaller, denied } from "./constant.ts";

const context: RuleContext = {
  user: undefined,
  now: "2026-03-01T00:00:00.000Z",
  appConfig: { open: true },
  memberships: noMemberships,
};

it("a rule of the caller alone is the same in every form", () => {
  const open = byCaller(({ appConfig }) => appConfig.open === true);
  for (const [rule, known, holds] of [
    [allowed, context, true],
    [denied, context, false],
    [open, context, true],
    [open, { ...context, appConfig: {} }, false],
  ] as const) {
    expect(rule.possible?.(known)).toBe(holds);
    expect(rule.check(known, {}, {})).toBe(holds);
    expect(rule.filter(known)).toEqual({ op: holds ? "true" : "false" });
  }
});
