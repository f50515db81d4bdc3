import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { Description, type Operation } from "./description.ts";
import { badQueries, goodQueries, type Pairs } from "./queries.ts";
import { parsed } from "./wire.ts";

const golden = new URL("../../templates/openapi/testdata/desk.openapi.json", import.meta.url);
const description = new Description(JSON.parse(readFileSync(golden, "utf8")));
const queried = description.operations.filter(({ method, query }) => method === "GET" && query.length > 0);

function sample(queries: fc.Arbitrary<Pairs>): readonly Pairs[] {
  return fc.sample(queries, { numRuns: 100, seed: 1 });
}

function fits({ query }: Operation, pairs: Pairs): boolean {
  return pairs.every(([name, value]) => query.find((each) => each.name === name)?.valid(value));
}

/** Conditions of a `where`, and the levels of its groups. */
function measure(where: JsonValue | undefined): { readonly conditions: number; readonly levels: number } {
  if (!isJsonObject(where)) return { conditions: 0, levels: 0 };
  let [conditions, levels] = [0, 0];
  for (const [name, value] of Object.entries(where)) {
    if (name === "$or" || name === "$and") {
      for (const member of Array.isArray(value) ? value : []) {
        const inner = measure(member);
        conditions += inner.conditions;
        levels = Math.max(levels, inner.levels + 1);
      }
    } else conditions += isJsonObject(value) ? Object.keys(value).length : 1;
  }
  return { conditions, levels };
}

describe.each(queried)("queries made for $id", (operation) => {
  const good = sample(goodQueries(description, operation));

  it("are good by the schemas of their parameters, each of which occurs", () => {
    for (const pairs of good) expect(fits(operation, pairs), JSON.stringify(pairs)).toBe(true);
    const names = new Set(good.flatMap((pairs) => pairs.map(([name]) => name)));
    const all = operation.query.map(({ name }) => name).filter((name) => name !== "after");
    expect([...names].toSorted()).toEqual(all.toSorted());
  });

  it("keep to the limits that stand in words", () => {
    for (const pairs of good) {
      const { where = "{}", order_by: order = "", skip = "0" } = Object.fromEntries(pairs);
      const { conditions, levels } = measure(parsed(where));
      expect(Buffer.byteLength(where)).toBeLessThanOrEqual(4096);
      expect(conditions).toBeLessThanOrEqual(32);
      expect(levels).toBeLessThanOrEqual(4);
      const fields = order.split(",").map((key) => key.replace(/^-/, ""));
      expect(new Set(fields).size).toBe(fields.length);
      if (order !== "_relevance") continue;
      expect(where).toContain('"$search"');
      expect(Number(skip)).toBeLessThanOrEqual(900);
    }
  });

  it("are bad where they are made so: by a schema, or by words", () => {
    const bad = sample(badQueries(description, operation));
    expect(bad.some((pairs) => !fits(operation, pairs))).toBe(true);
    for (const pairs of bad) expect(pairs).not.toEqual([]);
  });
});
