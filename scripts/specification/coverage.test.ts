/** Every rule of the specification has a test that bears its name. */
import { expect, test } from "vitest";
import { type Rule, rules } from "./rules.ts";
import { testFiles, titlesIn } from "./titles.ts";

const titles = testFiles().flatMap(titlesIn);

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
