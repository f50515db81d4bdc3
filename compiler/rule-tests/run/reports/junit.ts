import type { TestResult, TestRun } from "../run.ts";
import { renderFailure } from "./text.ts";

/** Results as JUnit's XML, which continuous integration shows: a suite for each file. */
export function junitReport({ tests, milliseconds }: TestRun): string {
  const files = [...new Set(tests.map(({ file }) => file))];
  const suites = files.map((file) =>
    suite(
      file,
      tests.filter((each) => each.file === file),
    ),
  );
  const failures = tests.filter(({ ok }) => !ok).length;
  const time = (milliseconds / 1_000).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="realmc test" tests="${tests.length}" failures="${failures}" time="${time}">`,
    ...suites.flat(),
    "</testsuites>",
  ].join("\n");
}

function suite(file: string, tests: readonly TestResult[]): readonly string[] {
  const failures = tests.filter(({ ok }) => !ok).length;
  return [
    `  <testsuite name="${escaped(file)}" tests="${tests.length}" failures="${failures}">`,
    ...tests.flatMap(testCase),
    "  </testsuite>",
  ];
}

function testCase(test: TestResult): readonly string[] {
  const { realm, collection, file, line, name, ok, message = "" } = test;
  const owner = collection === undefined ? realm : `${realm}/${collection}`;
  const open = `    <testcase classname="${escaped(owner)}" name="${escaped(name)}" file="${escaped(file)}" line="${line}"`;
  if (ok) return [`${open}/>`];
  return [
    `${open}>`,
    `      <failure message="${escaped(message)}">${escaped(renderFailure(test, false))}</failure>`,
    "    </testcase>",
  ];
}

/** Without what XML cannot hold at all. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}
