import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packageRoot } from "../package/package.ts";
import { planProject, writeProject } from "./project.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-init-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Files and their texts, below the folder. */
function contents(): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(
    paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")] as const),
  );
}

const all = [
  ".gitattributes",
  ".github/workflows/realmc.yml",
  ".gitignore",
  ".vscode/extensions.json",
  ".vscode/settings.json",
  "config/app/_tests/functions.yaml",
  "config/app/realm.yaml",
  "config/app/work/_func/finish/function.yaml",
  "config/app/work/_func/finish/handler.test.ts",
  "config/app/work/_func/finish/handler.ts",
  "config/app/work/projects/_tests/projects.yaml",
  "config/app/work/projects/collection.yaml",
  "config/app/work/projects/indexes.json",
  "config/app/work/projects/schema.json",
  "config/app/work/tasks/_tests/tasks.yaml",
  "config/app/work/tasks/collection.yaml",
  "config/app/work/tasks/indexes.json",
  "config/app/work/tasks/schema.json",
  "package.json",
  "tsconfig.json",
];

describe("a new project", () => {
  it("has these files, in a folder that need not be there", async () => {
    const project = await planProject(join(folder, "shop"));
    expect(project.inTheWay).toEqual([]);
    await writeProject(join(folder, "shop"), project);
    expect(Object.keys(contents())).toEqual(all.map((path) => join("shop", path)).sort());
    expect(JSON.parse(contents()["shop/package.json"] ?? "").name).toBe("shop");
  });

  it("names the TypeScript that emitted code is tried with", async () => {
    await writeProject(folder, await planProject(folder));
    const ours = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
    const { version, devDependencies } = { ...ours, ...JSON.parse(contents()["package.json"] ?? "") };
    expect(devDependencies).toEqual({
      "@types/node": ours.devDependencies["@types/node"],
      realmc: `^${version}`,
      typescript: ours.devDependencies.typescript,
    });
  });

  it("goes beside files that are there", async () => {
    writeFileSync(join(folder, "notes.txt"), "mine");
    mkdirSync(join(folder, "config"));
    writeFileSync(join(folder, "config/README.md"), "mine");
    await writeProject(folder, await planProject(folder));
    expect(Object.keys(contents())).toEqual([...all, "config/README.md", "notes.txt"].sort());
    expect(contents()["notes.txt"]).toBe("mine");
  });
});

describe("in the way of a project", () => {
  it("is a file, a folder or a dangling link of the same name, and a file where a folder is needed", async () => {
    writeFileSync(join(folder, ".gitignore"), "mine");
    mkdirSync(join(folder, "tsconfig.json"));
    symlinkSync("nowhere", join(folder, ".gitattributes"));
    writeFileSync(join(folder, ".vscode"), "mine");
    const project = await planProject(folder);
    expect(project.inTheWay).toEqual([".gitattributes", ".gitignore", ".vscode", "tsconfig.json"]);
    expect(project.files.map(({ path }) => path).sort()).toEqual(
      all.filter((path) => !/^(\.git(ignore|attributes)|\.vscode\/.*|tsconfig\.json)$/.test(path)),
    );
  });

  it.each([
    ["does not name realmc", '{"name": "mine"}'],
    ["is no JSON", "mine"],
  ])("is a package.json that %s", async (_what, text) => {
    writeFileSync(join(folder, "package.json"), text);
    const project = await planProject(folder);
    expect([project.inTheWay, project.completed]).toEqual([["package.json"], undefined]);
  });
});

describe("a package.json that names realmc", () => {
  it("is completed, in its own indentation", async () => {
    const present = '{\n\t"dependencies": {\n\t\t"realmc": "^0.1.0"\n\t}\n}\n';
    writeFileSync(join(folder, "package.json"), present);
    const project = await planProject(folder);
    expect(project.inTheWay).toEqual([]);
    await writeProject(folder, project);
    const text = contents()["package.json"] ?? "";
    expect(text).toMatch(/^\{\n\t"name": .*\n\}\n$/s);
    expect(JSON.parse(text)).toMatchObject({ dependencies: { realmc: "^0.1.0" }, type: "module" });
    expect((await planProject(folder)).completed).toBeUndefined();
  });
});

describe("when a file cannot be written", () => {
  it("none is left behind, and what was there is as it was", async () => {
    const before = '{"dependencies": {"realmc": "^0.1.0"}}';
    writeFileSync(join(folder, "package.json"), before);
    const project = await planProject(folder);
    writeFileSync(join(folder, "tsconfig.json"), "came in between");
    await expect(writeProject(folder, project)).rejects.toMatchObject({ code: "EEXIST" });
    expect(contents()).toEqual({ "package.json": before, "tsconfig.json": "came in between" });
    expect(readdirSync(folder).sort()).toEqual(["package.json", "tsconfig.json"]);
  });
});
