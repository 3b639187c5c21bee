import type { Path } from "../documents/source-document.ts";
import type { DocumentFiles } from "./document-files.ts";
import { escaped } from "./document-references.ts";

type Json = Record<string, unknown>;

/** The member with the files that a document refers to, by their paths in the project. */
const filesMember = "x-tollgate-files";

/** Returns a copy of an OpenAPI document that includes the files it refers to, so that all references point into it. */
export function selfContainedValue(files: DocumentFiles): Json {
  const { root } = files;
  const [document, ...others] = files.all.map((each) => ownCopy(each.value) as Json);
  const copies = new Map(
    files.all.map((each, index) => [each.document.file, index === 0 ? document! : others[index - 1]!]),
  );
  for (const reference of files.references) {
    const place = files.placeOf(reference);
    if (!place) continue;
    const within = place.file === root.document.file ? "" : `/${filesMember}/${escaped(place.file)}`;
    setAt(copies.get(reference.document.file)!, reference.path, `#${within}${place.pointer}`);
  }
  const byName = files.all.slice(1).map((each, index) => [each.document.file, others[index]!] as const);
  byName.sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...document,
    [filesMember]: { ...(document![filesMember] as Json), ...Object.fromEntries(byName) },
  };
}

/** Returns a document as the text of its file. */
export async function textOf(file: string, document: Json): Promise<string> {
  if (file.endsWith(".json")) return `${JSON.stringify(document, null, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(document, { lineWidth: 0 });
}

/** YAML aliases share objects; the copy shares none. */
function ownCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function setAt(document: unknown, path: Path, text: string): void {
  let owner = document as Record<string | number, unknown>;
  for (const segment of path.slice(0, -1)) owner = owner[segment] as typeof owner;
  owner[path.at(-1)!] = text;
}
