/** First tests of random rules: every witness replays on the emitted code. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isFull } from "../../runtime/testing/random.ts";
import { commandsIn } from "../cli/testing/commands.ts";
import { ruleArbitrary } from "../rules/testing/random-rules.ts";

const number = isFull ? 60 : 4;

const text = { type: "string" };
const schema = {
  type: "object",
  properties: {
    title: text,
    status: { enum: ["closed", "open"] },
    needed_role: text,
    constructor: text,
    count: { type: "integer" },
    public: { type: "boolean" },
    shared: { type: "boolean" },
    tags: { type: "array", items: text },
    due_at: { type: "string", format: "date-time" },
    "due-at": { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
    address: { type: "object", properties: { city: text, length: { type: "integer" } } },
    org_id: text,
    team_id: text,
  },
};

const realm = `auth: enabled
roles: { admin: {}, editor: {} }
profile:
  type: object
  properties:
    team: { type: string }
    level: { type: integer }
    vip: { type: boolean }
    skills: { type: array, items: { type: string } }
    address: { type: object, properties: { city: { type: string } } }
    org: { type: string }
    unit: { type: string }
app_config: { trial_days: 14, limits: { max: 3 }, open_to: [a, b], banner: hello, frozen: false }
organizations:
  create: user.email_verified
  roles: { clerk: {}, owner: { manage: [org] } }
  creator_roles: [owner]
  team_roles: { lead: {}, reviewer: {} }
`;

test("every witness of random rules replays on the emitted code, and shows what it is to show", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-written-"));
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, "config/desk", path)), { recursive: true });
    writeFileSync(join(folder, "config/desk", path), content);
  };
  try {
    write("realm.yaml", realm);
    const stored = fc.sample(ruleArbitrary({ data: false }, 2), { seed: 51, numRuns: 3 * number });
    const sent = fc.sample(ruleArbitrary({ data: true }, 2), { seed: 52, numRuns: number });
    const realmc = commandsIn(folder);
    for (let at = 0; at < number; at++) {
      const rules = {
        read: stored[3 * at]?.text,
        update: sent[at]?.text,
        delete: stored[3 * at + 1]?.text,
        restore: stored[3 * at + 2]?.text,
      };
      write(`db/notes${at}/schema.json`, JSON.stringify(schema));
      const settings = {
        rules,
        soft_delete: {},
        organization: "optional",
        teams: "optional",
        on_org_delete: "keep",
      };
      write(`db/notes${at}/collection.yaml`, JSON.stringify(settings));
    }
    // Of rules that make no sense there are no tests.
    const checked = await realmc("check", "config");
    const senseless = checked.stdout.matchAll(/^desk\/(db\/notes\d+)\/\S+ error /gm);
    for (const [, place = ""] of senseless)
      rmSync(join(folder, "config/desk", place), { recursive: true, force: true });
    const { status, stdout, stderr } = await realmc("test", "config", "--write");
    expect([status, stderr]).toEqual([0, expect.anything()]);
    expect((await realmc("test", "config")).stdout).toContain(" 0 failed");
    expect(stdout.split("\n").length).toBeGreaterThan(number / 3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
