/** `bun scripts/fonts.ts`: copies the fonts of invoices as PDF to `dist/fonts`, for the npm package. */
import { constants, cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { buildFolderIfOutdated } from "./build-folder.ts";
import { stampOf } from "./stamp.ts";

const project = join(import.meta.dir, "..");
const packages = join(project, "node_modules/@fontsource-variable");

/** Copies a file or a folder, or links to it. */
export type Add = (from: string, to: string) => Promise<void>;

export const copy: Add = (from, to) => cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });

const fontNames = async () => (await readdir(packages)).filter((name) => name.startsWith("noto-sans"));

/** Of each font the files in one style, by ranges of characters: half of what its package contains. */
export async function addFonts(folder: string, add: Add): Promise<void> {
  for (const font of await fontNames()) {
    const to = join(folder, font);
    await mkdir(join(to, "files"), { recursive: true });
    await add(join(packages, font, "unicode.json"), join(to, "unicode.json"));
    for (const file of await readdir(join(packages, font, "files")))
      if (file.endsWith("-wght-normal.woff2")) await add(join(packages, font, "files", file), join(to, "files", file));
  }
}

if (import.meta.main) {
  // The manifests have the versions.
  const manifests = (await fontNames()).map((font) => join(packages, font, "package.json"));
  const stamp = await stampOf([import.meta.path, ...manifests], []);
  await buildFolderIfOutdated(join(project, "dist/fonts"), stamp, (folder) => addFonts(folder, copy));
}
