import { expect, test } from "vitest";
import { Named } from "./named.ts";

test("the same under one name stands once; another of that name, in any case, has a number", () => {
  const named = new Named<{ readonly is: number }>("responses");
  const first = named.add("Page", { is: 1 });
  expect(first).toEqual({ $ref: "#/components/responses/Page" });
  expect(named.add("Page", { is: 1 })).toEqual(first);
  expect(named.add("page", { is: 2 })).toEqual({ $ref: "#/components/responses/page2" });
  expect(named.add("Other", { is: 1 })).toEqual({ $ref: "#/components/responses/Other" });
  expect(named.toObject()).toEqual({ Other: { is: 1 }, Page: { is: 1 }, page2: { is: 2 } });
});
