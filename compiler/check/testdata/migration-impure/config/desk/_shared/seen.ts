const names = new Set<string>();
const counts: Record<string, number> = {};
const list = ["b", "a"];
const sorted = [...list].sort();

export function more(name: string): readonly string[] {
  names.add(name);
  counts[name] = -1;
  counts.all! += 1;
  ++counts[name];
  delete counts.other;
  const own = new Set(sorted);
  own.add(name);
  return list.sort();
}

var last = "";

export function seen(name: string): boolean {
  const was = last === name;
  last = name;
  return was;
}
