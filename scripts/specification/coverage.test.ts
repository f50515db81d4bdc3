/** Every rule of the specification has a test that bears its name. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Node, Project, SyntaxKind } from "ts-morph";
import { expect, test } from "vitest";
import { root } from "../workspace.ts";
import { type Rule, rules } from "./rules.ts";

const titles = titlesOfTests();

test.each(rules.map((rule) => ({ ...rule, name: nameOf(rule) })))(
  "$name: has a test named after it",
  (rule) => {
    expect(titles.filter((title) => names(title, rule))).not.toEqual([]);
  },
);

test("titles that name a numbered rule name one that exists", () => {
  const sections = new Map<string, Set<number>>();
  for (const { section, number } of rules) {
    if (number === undefined) continue;
    sections.set(section, (sections.get(section) ?? new Set()).add(number));
  }
  const wrong = titles.filter((title) =>
    [...sections].some(([section, numbers]) =>
      numbersIn(title, section).some((number) => !numbers.has(number)),
    ),
  );
  expect(wrong).toEqual([]);
});

function nameOf({ section, number }: Rule): string {
  return number === undefined ? section : `${section} ${number}`;
}

function names(title: string, { section, number }: Rule): boolean {
  return number === undefined ? title.startsWith(`${section}:`) : numbersIn(title, section).includes(number);
}

/** `Authentication 2, 9 and 11: …` names three. */
function numbersIn(title: string, section: string): readonly number[] {
  if (!title.startsWith(`${section} `)) return [];
  const list = /^\d+(?:(?:, | and )\d+)*(?=:)/.exec(title.slice(section.length + 1))?.[0] ?? "";
  return [...list.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

/** The titles of all tests and their groups, but of those that are skipped or still to be written. */
function titlesOfTests(): readonly string[] {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  return testFiles().flatMap((path) => {
    const source = project.createSourceFile(`/${path}`, readFileSync(join(root, path), "utf8"));
    const found = source.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap((call) => {
      const callee = call.getExpression().getText().split("(", 1)[0] ?? "";
      if (!/^(?:test|it|describe)(?:\.(?:each|for|concurrent|sequential))*$/.test(callee)) return [];
      const [title] = call.getArguments();
      if (Node.isTemplateExpression(title)) return [title.getHead().getLiteralText()];
      return Node.isStringLiteral(title) || Node.isNoSubstitutionTemplateLiteral(title)
        ? [title.getLiteralText()]
        : [];
    });
    project.removeSourceFile(source);
    return found;
  });
}

function testFiles(): readonly string[] {
  return ["compiler", "runtime", "templates", "examples", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /(?:\.test|[\\/]suite[\\/][\w-]+)\.ts$/.test(path) && !path.includes("testdata"))
      .map((path) => join(folder, path)),
  );
}
