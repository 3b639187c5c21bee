import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../config/config.ts";

export interface ServerProfile {
  url: string;
  token: string;
}

interface Content {
  /** The profile that commands use by default. */
  current?: string;
  profiles: Record<string, ServerProfile>;
}

/** The servers with a stored login. The file contains tokens: only its owner may read it. */
export class Profiles {
  readonly file: string;

  constructor(environment: Environment) {
    const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
    this.file = join(folder, "tollgate", "profiles.json");
  }

  async read(): Promise<Content> {
    let text: string;
    try {
      text = await readFile(this.file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {} };
      throw error;
    }
    try {
      const { current, profiles } = JSON.parse(text) as Content;
      return { current, profiles: { ...profiles } };
    } catch {
      throw new Error(`${this.file} is not JSON. Fix it, or remove it and log in again.`);
    }
  }

  /** Stores a profile and makes it the default. */
  async keep(name: string, profile: ServerProfile): Promise<void> {
    const { profiles } = await this.read();
    await this.#write({ current: name, profiles: { ...profiles, [name]: profile } });
  }

  async remove(name: string): Promise<void> {
    const { current, profiles } = await this.read();
    delete profiles[name];
    const next = current === name ? Object.keys(profiles)[0] : current;
    await this.#write({ current: next, profiles });
  }

  /** Written to a temporary file and renamed: a crash leaves the old file, and the file is never readable by others. */
  async #write(content: Content): Promise<void> {
    const folder = dirname(this.file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const beside = `${this.file}.${process.pid}`;
    await writeFile(beside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(beside, this.file);
  }
}
