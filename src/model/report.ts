import type { StartupProblem } from '../base/errors.ts';
import type { YamlFile } from '../config/document/yaml.ts';

/** A mapping file, of whichever kind. */
interface Reported {
  readonly file: YamlFile;
}

/** Collects what is wrong and what is left out while the model is built. */
export class ModelReport {
  readonly problems: StartupProblem[] = [];
  readonly warnings: string[] = [];
  readonly #faulty = new Set<string>();

  /** @param path the place in the mapping file */
  problem({ file }: Reported, path: readonly string[], message: string): void {
    this.problems.push({ where: file.locate(path), message });
  }

  /** @param path the place in the mapping file */
  warning({ file }: Reported, path: readonly string[], message: string): void {
    this.warnings.push(`${file.locate(path)}: ${message}`);
  }

  /** Says that a dataclass is missing because its own file is wrong, which is reported there. */
  addFaulty(dataclass: string): void {
    this.#faulty.add(dataclass);
  }

  isFaulty(dataclass: string): boolean {
    return this.#faulty.has(dataclass);
  }
}
