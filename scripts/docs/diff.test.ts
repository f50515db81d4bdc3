import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withCells } from "../../compiler/diff/access/cells.ts";
import { chapters } from "../../compiler/diff/catalogue.ts";
import { diffRealms } from "../../compiler/diff/diff.ts";
import { renderChangeCount, renderChanges } from "../../compiler/diff/render.ts";
import { analyseSides } from "../../compiler/diff/sides.ts";
import { accounts, type Sketch, writeRealm } from "../../compiler/diff/testing/case.ts";
import type { Changes } from "../../compiler/settings/change.ts";
import { withChecks } from "./diff.ts";

const checks: Changes = Object.assign({}, ...Object.values(chapters));

test("docs/diff.md shows the catalogue (UPDATE_DOCS=1 writes it)", () => {
  const file = new URL("../../docs/diff.md", import.meta.url);
  const text = readFileSync(file, "utf8");
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, withChecks(text));
  expect(readFileSync(file, "utf8")).toBe(withChecks(text));
  expect(text.match(/^\| `[a-z-]+` \| (leak|breaking|additive|internal) \|/gm)).toHaveLength(
    Object.keys(checks).length,
  );
});

test("every check has a kind, and a reason that is a sentence", () => {
  for (const [check, { why, message }] of Object.entries(checks)) {
    expect(check).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(why).toMatch(/^[A-Z`].*\.$/);
    expect(message).not.toMatch(/\.$/);
  }
});

const tickets = (rule: string, properties: object): Sketch => ({
  realm: accounts,
  files: {
    "support/tickets/schema.json": JSON.stringify({ type: "object", properties }),
    "support/tickets/collection.yaml": `rules: { read: "${rule}" }\n`,
  },
});

test("its example is what is printed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-diff-docs-"));
  try {
    writeRealm(
      join(folder, "old/desk"),
      tickets("hasRole('agent') || document._meta.owner == user.id", {
        status: { enum: ["open", "waiting"] },
      }),
    );
    writeRealm(
      join(folder, "now/desk"),
      tickets("hasRole('agent')", { status: { enum: ["open"] }, note: { type: "string" } }),
    );
    const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
    const found = diffRealms(sides.old.realms, sides.now.realms);
    const changes = withCells(found, sides.old.realms, sides.now.realms);
    expect(readFileSync(new URL("../../docs/diff.md", import.meta.url), "utf8")).toContain(
      `\n${renderChanges(changes, false)}\n${renderChangeCount(changes)}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
