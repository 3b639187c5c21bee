/** `npm run generate`: writes the part of docs/cli.md that is generated from the command descriptions. */
import { join } from "node:path";
import { reference } from "../src/cli/reference.ts";

const documentPath = join(import.meta.dir, "../docs/cli.md");
const marker = "<!-- From here on written by `npm run generate`. -->";

export async function currentDocument(): Promise<{ written: string; wanted: string }> {
  const written = await Bun.file(documentPath).text();
  const [byHand] = written.split(marker);
  return { written, wanted: `${byHand}${marker}\n\n${await reference()}\n` };
}

if (import.meta.main) await Bun.write(documentPath, (await currentDocument()).wanted);
