import { ArchiveRejected, quoted } from "../../lib/text/archive-rejected.ts";
import { type ArchiveChunks, type ArchiveFile, walkArchive } from "./archive.ts";

const mebibyte = 1024 * 1024;

/** The maximum size of all project files together. Other files of an archive are checked and dropped. */
const maxProjectBytes = 20 * mebibyte;

export interface ProjectFiles {
  /** The contents by path in the project: the documents, and everything below modules/ and packages/. */
  files: Map<string, Uint8Array>;
  /** Other JSON and YAML files, which the documents may refer to. */
  documents: Map<string, Uint8Array>;
  /** Documents and guides that exceed the memory limit and were not read. */
  dropped: Set<string>;
  /** The guides: Markdown and images below docs/. */
  docs: Map<string, Uint8Array>;
  /** Other files that are unusual in a project, unless a document refers to them. */
  unexpected: string[];
}

/** Reads the files of a project into memory. Throws an ArchiveRejected. */
export async function readArchive(chunks: ArchiveChunks): Promise<ProjectFiles> {
  const kept = new Map<string, Uint8Array>();
  const others: string[] = [];
  let keptBytes = 0;
  let documentBytes = 0;
  await walkArchive(chunks, ({ path, size }: ArchiveFile) => {
    if (isOfTheSystem(path)) return undefined;
    // Whether there is a top folder is known only at the end.
    if (!isOfProject(path) && !isOfProject(withoutTop(path))) {
      others.push(path);
      if (!mayBeDocument(path) && !isGuide(path) && !isGuide(withoutTop(path))) return undefined;
      if (documentBytes + size > maxProjectBytes) return undefined;
      documentBytes += size;
    } else {
      keptBytes += size;
      if (keptBytes > maxProjectBytes) {
        throw new ArchiveRejected(
          `The project's documents and modules are larger than ${maxProjectBytes / mebibyte} MiB, with ${quoted(path)}.`,
        );
      }
    }
    const content = new Uint8Array(size);
    let filled = 0;
    kept.set(path, content);
    return (piece) => {
      content.set(piece, filled);
      filled += piece.length;
    };
  });
  return inProject(kept, others);
}

function inProject(kept: Map<string, Uint8Array>, others: string[]): ProjectFiles {
  const all = [...new Set([...kept.keys(), ...others])];
  const place = hasTopFolder(all) ? withoutTop : (path: string) => path;
  const files = new Map<string, Uint8Array>();
  const documents = new Map<string, Uint8Array>();
  const docs = new Map<string, Uint8Array>();
  const dropped = new Set<string>();
  const unexpected: string[] = [];
  for (const path of all) {
    const content = kept.get(path);
    const placed = place(path);
    if (content && isOfProject(placed)) {
      files.set(placed, content);
      continue;
    }
    if (content && isGuide(placed)) docs.set(placed, content);
    else if (content) documents.set(placed, content);
    else if (mayBeDocument(placed) || isGuide(placed)) dropped.add(placed);
    if (!isExpected(placed)) unexpected.push(placed);
  }
  return { files, documents, docs, dropped, unexpected };
}

/** `tar czf project.tar.gz my-project/`: all files are in one folder. */
function hasTopFolder(paths: string[]): boolean {
  const top = paths[0]?.split("/", 1)[0];
  return top !== "modules" && top !== "packages" && paths.every((path) => path.startsWith(`${top}/`));
}

function withoutTop(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

function isOfProject(path: string): boolean {
  return /^(openapi\.(json|yaml|yml)|tollgate\.json|modules\/.+\.(ts|js|json)|packages\/.+\.js)$/.test(path);
}

/** Excludes folders of tools, such as node_modules. */
function mayBeDocument(path: string): boolean {
  return /\.(json|ya?ml)$/.test(path) && !/(^|\/)(node_modules|\.[^/]*)(\/|$)/.test(path);
}

/** Guides, and images in them. */
function isGuide(path: string): boolean {
  return /^docs\/(?!(.*\/)?\.)(?!(.*\/)?node_modules\/).+\.(md|png|jpe?g|webp|gif|svg)$/i.test(path);
}

/** Files that macOS and old programs add to archives. */
function isOfTheSystem(path: string): boolean {
  return /(^|\/)(\._[^/]*|\.DS_Store|__MACOSX\/.*|PaxHeaders?(\.\d+)?\/.*)$/.test(path);
}

/** Files that are usual in a project folder although they are not deployed. */
function isExpected(path: string): boolean {
  return /^(\.git|node_modules|test|tests|docs)\/|(^|\/)(\.[^/]+|README[^/]*|LICENSE[^/]*|CHANGELOG[^/]*|[^/]+\.md|package(-lock)?\.json|bun\.lock|tsconfig\.json)$/i.test(
    path,
  );
}
