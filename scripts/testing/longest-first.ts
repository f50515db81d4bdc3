import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root } from "../workspace.ts";
import { recordedLengths } from "./lengths.ts";

/**
 * The order in which workers take test files: the longest first by their recorded lengths, so that all workers end at about
 * the same time. Files without a record are short: they come after those, as vitest sorts them, by the time that they took
 * before or by their size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const lengths = recordedLengths();
    const length = ({ project, moduleId }: TestSpecification): number =>
      lengths[project.name]?.[relative(root, moduleId)] ?? 0;
    return sorted.sort(
      (a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || length(b) - length(a),
    );
  }
}
