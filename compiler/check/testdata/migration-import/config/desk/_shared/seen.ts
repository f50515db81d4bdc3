import { readFileSync } from "node:fs";

var last = "";

export function seen(name: string): boolean {
  const was = last === name;
  last = readFileSync(name, "utf8");
  return was;
}
