import { type Path, pointerOf } from "../load/source.ts";

/**
 * Places of the configuration whose value could not be made sense of, so that checks that need them say nothing: one
 * mistake is told once.
 */
export interface Faults {
  /** Whether the value at a path, something inside of it, or the value around it is faulty. */
  readonly touch: (file: string, path: Path) => boolean;
}

export interface FaultList extends Faults {
  readonly add: (file: string, path: Path) => void;
}

export function createFaults(): FaultList {
  const byFile = new Map<string, string[]>();
  return {
    add: (file, path) => {
      const faults = byFile.get(file) ?? [];
      faults.push(`${pointerOf(path)}/`);
      byFile.set(file, faults);
    },
    touch: (file, path) => {
      const wanted = `${pointerOf(path)}/`;
      return (byFile.get(file) ?? []).some((fault) => wanted.startsWith(fault) || fault.startsWith(wanted));
    },
  };
}
