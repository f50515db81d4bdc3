import { describe, expect, it } from "vitest";
import { commandsOf, commandsOnTop, isAsShown } from "./readme.ts";

describe("commands of a section", () => {
  it("are those of its console blocks, with what is shown below them", () => {
    const markdown = [
      "# realmc",
      "```console\n$ not this\n```",
      "## First",
      "```console\n$ one\nfirst\nsecond\n$ two \\\n  more\n```",
      "```sh\nnot this\n```",
      "```console\n$ three\n\nlast\n```",
      "## Second",
      "```console\n$ not this\n```",
    ].join("\n");
    expect(commandsOf(markdown, "First")).toEqual([
      { command: "one", output: "first\nsecond" },
      { command: "two \\\n  more", output: "" },
      { command: "three", output: "last" },
    ]);
  });
});

describe("commands on top", () => {
  it("are those before the first section, without what is said of them", () => {
    const markdown =
      "# realmc\n\n```sh\none && two    # both\nthree\n```\n\n## First\n```sh\nnot this\n```\n";
    expect(commandsOnTop(markdown)).toEqual(["one && two", "three"]);
  });
});

describe("what is printed is as shown", () => {
  it("but for ids, times, tokens, durations and the port", () => {
    const shown =
      '{"id":"01m7zefm3b7jabexb93r","at":"2026-11-21T16:19:27.467Z"} http://127.0.0.1:8080 in 2.5 s';
    const other =
      '{"id":"01m80fx6szd20yr65994","at":"2027-01-01T00:00:00.000Z"} http://127.0.0.1:41 in 12 ms';
    expect(isAsShown(`${other}\n`, shown)).toBe(true);
    expect(isAsShown(other.replace("id", "uid"), shown)).toBe(false);
    expect(isAsShown(other.replace("127.0.0.1", "127.0.0.2"), shown)).toBe(false);
  });

  it("where … leaves something out", () => {
    expect(isAsShown("one\ntwo\nthree", "one\n…\nthree")).toBe(true);
    expect(isAsShown("one\ntwo\nfour", "one\n…\nthree")).toBe(false);
    expect(isAsShown("a.c", "a…c")).toBe(true);
    expect(isAsShown("abc", "a.c")).toBe(false);
  });
});
