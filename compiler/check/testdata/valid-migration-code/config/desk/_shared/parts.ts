export function parts(name: string): readonly string[] { return name.split(" "); }
