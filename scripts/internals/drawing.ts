/** The drawing of the layers in docs/internals/layers.md: made from the imports, so that it shows what is. */
import { importsOf, isForTests, roomOf, rooms, sources } from "../testing/layers.ts";

/** Rooms that a room imports. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** Mermaid's flowchart of all rooms; an arrow that others together say is left out. */
export function drawing(): string {
  const imports = importsOfRooms();
  const tops = [...new Set(rooms.map(topOf))];
  const groups = tops.map((top) => {
    const inside = rooms.filter((room) => topOf(room) === top);
    return [`  subgraph ${top}`, ...inside.map((room) => `    ${idOf(room)}["${nameOf(room)}"]`), "  end"];
  });
  const arrows = rooms.flatMap((room) =>
    needed(imports, room).map((to) => `  ${idOf(room)} --> ${idOf(to)}`),
  );
  return ["flowchart TD", ...groups.flat(), ...arrows].join("\n");
}

function importsOfRooms(): Imports {
  const imports = new Map(rooms.map((room) => [room, new Set<string>()]));
  for (const path of sources().filter((path) => !isForTests(path))) {
    const from = roomOf(path);
    for (const to of importsOf(path).map(roomOf)) if (to !== from) imports.get(from)?.add(to);
  }
  return imports;
}

/** What a room imports and no other that it imports reaches; in the order of the table. */
function needed(imports: Imports, room: string): readonly string[] {
  const direct = rooms.filter((each) => imports.get(room)?.has(each));
  return direct.filter((to) => !direct.some((other) => other !== to && reaches(imports, other, to)));
}

function reaches(imports: Imports, from: string, to: string): boolean {
  const next = imports.get(from) ?? new Set();
  return next.has(to) || [...next].some((each) => reaches(imports, each, to));
}

function topOf(room: string): string {
  return room.split("/")[0] ?? room;
}

/** Below its subgraph's own; the floor of one is what lies in it directly. */
function nameOf(room: string): string {
  const [, ...rest] = room.split("/");
  return rest.length === 0 ? "(what lies beside the rooms)" : rest.join("/");
}

/** A subgraph cannot have the id of a node. */
function idOf(room: string): string {
  return room.includes("/") ? room.replaceAll(/[^a-z]/g, "_") : `${room}_floor`;
}
