import { describe, expect, test } from "vitest";
import type { ExpandLimits } from "../../realm/definition.ts";
import { checkExpandLimits, lowered } from "./limits.ts";
import { declared, reference } from "./testing/collections.ts";

const instance: ExpandLimits = { maxDepth: 2, maxPaths: 5, maxArray: 100, maxDocs: 2_000 };

describe("Limits: a collection may only lower those of the instance", () => {
  test("the lower one holds", () => {
    const own = declared("posts", {}, { expand: { maxDepth: 1, maxDocs: 10 } });
    expect(lowered(instance, own)).toEqual({ maxDepth: 1, maxPaths: 5, maxArray: 100, maxDocs: 10 });
    expect(lowered(instance, declared("posts", {}))).toEqual(instance);
  });

  test("one above stops the start, naming file and setting", () => {
    const fine = declared("fine", {}, { expand: { ...instance } });
    const posts = declared("posts", {}, { expand: { maxPaths: 6, maxDocs: 2_001 } });
    expect(checkExpandLimits([fine, posts], instance)).toEqual([
      "shop/main/posts/collection.yaml: expand.max_paths is 6, above the instance's SVC_EXPAND_MAX_PATHS of 5",
      "shop/main/posts/collection.yaml: expand.max_docs is 2001, above the instance's SVC_EXPAND_MAX_DOCS of 2000",
    ]);
    expect(checkExpandLimits([fine], { ...instance, maxDepth: 1, maxArray: 50 })).toEqual([
      "shop/main/fine/collection.yaml: expand.max_depth is 2, above the instance's SVC_EXPAND_MAX_DEPTH of 1",
      "shop/main/fine/collection.yaml: expand.max_array is 100, above the instance's SVC_EXPAND_MAX_ARRAY of 50",
    ]);
  });
});

test("References: max_expand above the instance's limit stops the start, naming file and reference", () => {
  const references = {
    tags: reference("tags", "tag_ids", { many: true, maxExpand: 20 }),
    others: reference("tags", "other_ids", { many: true, maxExpand: 10 }),
  };
  const posts = declared("posts", {}, { references });
  expect(checkExpandLimits([posts], instance)).toEqual([]);
  expect(checkExpandLimits([posts], { ...instance, maxArray: 10 })).toEqual([
    "shop/main/posts/collection.yaml: references.tags.max_expand is 20, above the instance's SVC_EXPAND_MAX_ARRAY of 10",
  ]);
});
