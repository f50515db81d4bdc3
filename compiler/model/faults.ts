import { type Path, pointerOf } from "../source/source.ts";

/**
 * Places of the configuration whose value could not be made sense of, so that checks that need them say nothing: one
 * mistake is told once.
 */
export interface Faults {
  /** Whether the value at a path, something inside of it, or the value around it is faulty. */
  readonly touch: (file: string, path: Path) => boolean;
  /** Whether the value at a path as a whole, or the value around it, is faulty. */
  readonly cover: (file: string, path: Path) => boolean;
  /** JSON pointers of the faults in a file. */
  readonly pointersIn: (file: string) => readonly string[];
}

export interface FaultList extends Faults {
  readonly add: (file: string, path: Path) => void;
}

export function createFaults(): FaultList {
  const byFile = new Map<string, string[]>();
  const pointersIn = (file: string): readonly string[] => byFile.get(file) ?? [];
  const cover = (file: string, path: Path): boolean => {
    const wanted = `${pointerOf(path)}/`;
    return pointersIn(file).some((fault) => wanted.startsWith(`${fault}/`));
  };
  return {
    add: (file, path) => {
      byFile.set(file, [...pointersIn(file), pointerOf(path)]);
    },
    touch: (file, path) => {
      const wanted = `${pointerOf(path)}/`;
      return cover(file, path) || pointersIn(file).some((fault) => `${fault}/`.startsWith(wanted));
    },
    cover,
    pointersIn,
  };
}
