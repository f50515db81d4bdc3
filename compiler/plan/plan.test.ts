/** `realmc plan` over changes of configurations: what it says of each, word for word. */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { type EmbeddedPlace, embeddedPlace } from "../../runtime/store/testing/stores.ts";
import { kinds } from "./finding.ts";
import { planned } from "./testing/case.ts";
import { planCases } from "./testing/cases.ts";
import { sectionsIn } from "./testing/golden.ts";

const golden = new URL("testdata/plans.golden", import.meta.url);
const isUpdated = process.env["UPDATE_GOLDEN"] !== undefined;
const told = new Map<string, string>();
const known = sectionsIn(isUpdated ? "" : readFileSync(golden, "utf8"));

afterAll(() => {
  if (isUpdated) writeFileSync(golden, [...told].map(([name, text]) => `# ${name}\n\n${text}\n`).join("\n"));
});

test.each(Object.entries(planCases))("%s", async (name, change) => {
  const place: EmbeddedPlace = embeddedPlace();
  try {
    const { code, out, err } = await planned({ ...place, realm: "desk" }, change);
    const text = `${out}${err.trimEnd().split("\n").at(-1) ?? ""}`;
    told.set(name, text);
    expect(code, err).toBe(0);
    if (!isUpdated) expect(text).toBe(known.get(name));
  } finally {
    await place.discard();
  }
});

test("there are cases of every kind, and at least 40", () => {
  expect(Object.keys(planCases).length).toBeGreaterThanOrEqual(40);
  const all = [...(isUpdated ? told : known).values()].join("\n");
  const untold = Object.keys(kinds).filter((kind) => !all.includes(`(${kind})`));
  expect(untold).toEqual([]);
});
