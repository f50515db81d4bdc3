import { expect, test } from "vitest";
import { FeedDocumentChange } from "./change.ts";
import { Renderings } from "./rendered.ts";

const changed = (position: string, renderings: Renderings) =>
  new FeedDocumentChange(
    {
      recorded: "documents",
      position,
      commit: position,
      isLast: true,
      at: 0,
      collection: "app.notes",
      id: "a",
      after: { id: "a", version: 1, text: "{}" },
    },
    renderings,
  );

test("what is made of a change is made once for each key, and of the newest so many bytes only", () => {
  const renderings = new Renderings(100);
  const made: string[] = [];
  const rendered = (change: FeedDocumentChange, key: string) =>
    change.rendered(key, () => {
      made.push(`${change.position}${key}`);
      return Buffer.alloc(30, key);
    });
  const [one, two] = [changed("1", renderings), changed("2", renderings)];
  expect(rendered(one, "a")).toBe(rendered(one, "a"));
  expect(rendered(one, "b")).not.toBe(rendered(two, "b"));
  expect(made).toEqual(["1a", "1b", "2b"]);
  rendered(two, "a");
  expect(renderings.bytes).toBe(60);
  rendered(two, "b");
  rendered(one, "a");
  expect(made).toEqual(["1a", "1b", "2b", "2a", "1a"]);
  renderings.clear();
  expect(renderings.bytes).toBe(0);
});
