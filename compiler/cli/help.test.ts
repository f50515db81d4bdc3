import { expect, test } from "vitest";
import { keyUsage } from "../../runtime/instance/key-command.ts";
import { commandsIn } from "./testing/commands.ts";

const realmc = commandsIn(".");

/** What a command line prints on stdout. */
async function printed(...words: readonly string[]): Promise<string> {
  const { status, stdout } = await realmc(...words);
  expect(status).toBe(0);
  return stdout;
}

/** The commands that a help lists, but for `help` itself. */
function commandsOf(help: string): readonly string[] {
  const [, list = ""] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
}

test("the help of every command has examples of it, in lines of a terminal's width", async () => {
  const commands = commandsOf(await printed("--help")).map((name) => [name]);
  const all: string[][] = [...commands];
  for (const words of commands) {
    all.push(...commandsOf(await printed(...words, "--help")).map((name) => [...words, name]));
  }
  expect(all.map((words) => words.join(" "))).toEqual(
    expect.arrayContaining(["build", "check", "key create"]),
  );
  for (const words of all) {
    const [, examples = ""] = (await printed(...words, "--help")).split("\nExamples:\n");
    expect(examples, words.join(" ")).toContain(`realmc ${words.join(" ")}`);
    expect(examples.split("\n").filter((line) => line.length > 100)).toEqual([]);
  }
});

test("key takes what the server's own command takes", async () => {
  const usages = keyUsage.split(/^ +server (?=key )/m);
  const words = usages.map((usage) => /^key ([a-z]+)/.exec(usage)?.[1] ?? "");
  expect(commandsOf(await printed("key", "--help")).toSorted()).toEqual(words.toSorted());
  for (const [at, word] of words.entries()) {
    const help = await printed("key", word, "--help");
    const taken = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = ""]) => option);
    const known = [...(usages[at] ?? "").matchAll(/--[a-z-]+/g)].map(([option]) => option);
    expect(taken.filter((option) => option !== "--dist").toSorted(), word).toEqual(known.toSorted());
  }
});
