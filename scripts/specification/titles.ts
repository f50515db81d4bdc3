import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Node, Project, SyntaxKind } from "ts-morph";
import { root } from "../workspace.ts";

const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });

/** Relative to the checkout. */
export function testFiles(): readonly string[] {
  return ["compiler", "runtime", "templates", "examples", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /(?:\.test|[\\/]suite[\\/][\w-]+)\.ts$/.test(path) && !path.includes("testdata"))
      .map((path) => join(folder, path)),
  );
}

/** The titles of a file's tests and their groups, but of those that are skipped or still to be written. */
export function titlesIn(path: string): readonly string[] {
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
}
