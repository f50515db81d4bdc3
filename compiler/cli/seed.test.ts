import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realmcIn } from "./testing/commands.ts";

const files = {
  "config/desk/realm.yaml": "auth: disabled\n",
  "config/desk/support/tickets/schema.json":
    '{ "type": "object", "properties": { "title": { "type": "string" }, "count": { "type": "integer" } }, "required": ["title"] }\n',
  "config/desk/support/notes/schema.json":
    '{ "type": "object", "properties": { "text": { "type": "string" } } }\n',
  "config/desk/_seed/support/tickets.yaml":
    "- title: one\n  count: 1\n- { id: 0123456789abcdefghjk, title: two }\n",
  "config/desk/_seed/support/notes.csv": "text\nfirst\n",
};

describe("realmc seed", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "realmc-seed-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("fills empty collections, and leaves alone what has documents", () => {
    const seed = () => realmcIn(folder)("seed", "config", "--store", "sqlite:data");
    expect(seed()).toMatchObject({
      status: 0,
      stdout: "desk support/notes: 1 created, 0 rejected\ndesk support/tickets: 2 created, 0 rejected\n",
    });
    const again = seed();
    expect(again).toMatchObject({ status: 0, stdout: "" });
    expect(again.stderr).toContain("desk support/tickets: has documents; its seed is left out");
  }, 120_000);

  it("does nothing where the configuration, or a seed, has mistakes", () => {
    writeFileSync(join(folder, "config/desk/_seed/support/notes.csv"), "text\nfirst,second\n");
    const { status, stderr } = realmcIn(folder)("seed", "config", "--store", "sqlite:other");
    expect(status).toBe(1);
    expect(stderr).toContain("desk/_seed/support/notes.csv:2:1 error seed-misfit");
  });
});
