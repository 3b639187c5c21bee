import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installProgram } from "../../test/support/cli.ts";
import { findProgram } from "../../test/support/find-program.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { complete } from "./complete.ts";

let folder: TemporaryFolder;
let bin: string;

beforeAll(async () => {
  folder = await temporaryFolder("completion");
  bin = await installProgram(folder.path);
  await mkdir(join(folder.path, "my-project"));
  // Created once: shells that start at the same time would each create it and print a warning.
  await mkdir(join(folder.path, ".config/fish"), { recursive: true });
  await mkdir(join(folder.path, ".local/share/fish"), { recursive: true });
  await writeFile(join(folder.path, "my-file.csv"), "");
});

afterAll(() => folder.remove());

const words = async (...typed: string[]) => {
  const offer = await complete(typed);
  return typeof offer === "string" ? offer : offer.map(({ word }) => word);
};

describe("completions", () => {
  test("commands, and the commands of a group", async () => {
    expect(await words("")).toContain("deployments");
    expect(await words("keys", "")).toEqual([
      "list",
      "create",
      "show",
      "update",
      "delete",
      "roll",
      "verify",
      "find",
      "delete-many",
      "disable",
      "enable",
      "leaked",
    ]);
    const ofUsage = ["list", "show", "series", "history", "consume", "settle", "release"];
    expect(await words("help", "usage", "")).toEqual(ofUsage);
    expect(await words("nonsense", "")).toEqual([]);
  });

  test("options, their values, and files", async () => {
    expect(await words("keys", "list", "acme", "--")).toContain("--key-format");
    expect(await words("keys", "list", "acme", "--key-format", "")).toEqual(["none", "masked", "visible"]);
    expect(await words("keys", "create", "--file", "")).toBe("file");
    expect(await words("deploy", "")).toBe("folder");
    expect(await words("deploy", "x", "--branch", "")).toEqual([]);
    expect(await words("backup", "--data-dir", "x", "")).toBe("file");
    expect(await words("completion", "")).toEqual(["bash", "zsh", "fish"]);
  });
});

/** How to get the completions of a line in each shell. */
const shells: Record<string, (line: string) => string> = {
  bash: (line) => `
    source <(tollgate completion bash)
    COMP_WORDS=(${line}${line.endsWith(" ") ? '""' : ""}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _tollgate 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // zsh's functions work only inside its line editor, so their arguments are printed instead.
  zsh: (line) => `
    compdef() { :; }
    _describe() { printf '%s\\n' "\${candidates[@]%%:*}"; }
    _files() { [[ $1 == -/ ]] && print -l *(/) || print -l *(.); }
    source <(tollgate completion zsh)
    words=(${line}${line.endsWith(" ") ? '""' : ""}); CURRENT=$#words
    _tollgate`,
  fish: (line) => `tollgate completion fish | source; complete -C '${line}' | string split -f1 \\t`,
};

describe.each(Object.keys(shells))("in %s", (shell) => {
  const offered = async (line: string) => {
    const child = Bun.spawn([findProgram(shell), "-c", shells[shell]!(line)], {
      cwd: folder.path,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(error).toBe("");
    return out.split("\n").filter((word) => word !== "");
  };

  test("commands and options", async () => {
    const [commands, verbs, options, values] = await Promise.all([
      offered("tollgate deplo"),
      offered("tollgate keys "),
      offered("tollgate keys list acme --key"),
      offered("tollgate keys list acme --key-format "),
    ]);
    expect(commands).toContain("deployments");
    expect(verbs).toContain("roll");
    expect(options).toContain("--key-format");
    expect(values.sort()).toEqual(["masked", "none", "visible"]);
  });

  test("files and folders", async () => {
    const [files, folders] = await Promise.all([
      offered("tollgate keys create --file my"),
      offered("tollgate deploy my"),
    ]);
    expect(files).toContain("my-file.csv");
    expect(folders.map((name) => name.replace(/\/$/, ""))).toContain("my-project");
    expect(folders).not.toContain("my-file.csv");
  });
});
