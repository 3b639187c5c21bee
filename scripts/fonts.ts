/** `bun scripts/fonts.ts`: copies the fonts of invoices as PDF to `dist/fonts`, for the npm package. */
import { constants, cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const project = join(import.meta.dir, "..");
const packages = join(project, "node_modules/@fontsource-variable");

/** Copies a file or a folder, or links to it. */
export type Add = (from: string, to: string) => Promise<void>;

export const copy: Add = (from, to) => cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });

/** Of each font the files in one style, by ranges of characters: half of what its package contains. */
export async function addFonts(folder: string, add: Add): Promise<void> {
  for (const font of await readdir(packages)) {
    if (!font.startsWith("noto-sans")) continue;
    const to = join(folder, font);
    await mkdir(join(to, "files"), { recursive: true });
    await add(join(packages, font, "unicode.json"), join(to, "unicode.json"));
    for (const file of await readdir(join(packages, font, "files")))
      if (file.endsWith("-wght-normal.woff2")) await add(join(packages, font, "files", file), join(to, "files", file));
  }
}

if (import.meta.main) {
  const folder = join(project, "dist/fonts");
  await rm(folder, { recursive: true, force: true });
  await addFonts(folder, copy);
}
