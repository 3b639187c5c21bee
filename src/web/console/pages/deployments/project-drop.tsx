import { Upload } from "lucide-react";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { formatBytes } from "../../../lib/format.ts";
import { archiveSource, chosenFolder, droppedSource, type ProjectSource } from "./project-source.ts";

interface Props {
  source: ProjectSource | undefined;
  onSource: (source: ProjectSource) => void;
}

/** Accepts a folder or an archive, dropped or chosen. */
export function ProjectDrop({ source, onSource }: Props) {
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (given: Promise<ProjectSource> | undefined) =>
    given?.then(onSource, (error) => toast(messageOf(error), "red"));
  const drag = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same for keyboards */}
      <div
        className="drop"
        data-over={isOver || undefined}
        onDragOver={drag(true)}
        onDragLeave={drag(false)}
        onDrop={(event) => {
          drag(false)(event);
          event.stopPropagation();
          take(droppedSource(event.dataTransfer));
        }}
      >
        <Upload size={20} aria-hidden />
        <input type="hidden" value={source?.name ?? ""} />
        {source ? (
          <span>
            <span className="strong">{source.name}</span>
            {source.isFolder ? ", packed: " : ", "}
            {formatBytes(source.archive.size)}
          </span>
        ) : (
          <span>Drop the project's folder here, or a .tar.gz of it</span>
        )}
        <span className="row">
          <Button isSmall onClick={() => folder.current?.click()}>
            Choose folder
          </Button>
          <Button isSmall onClick={() => file.current?.click()}>
            Choose file
          </Button>
        </span>
        <input
          ref={folder}
          className="visually-hidden"
          type="file"
          aria-label="Folder"
          tabIndex={-1}
          webkitdirectory=""
          onChange={({ target }) => target.files?.length && take(chosenFolder(target.files))}
        />
        <input
          ref={file}
          className="visually-hidden"
          type="file"
          aria-label="Archive"
          tabIndex={-1}
          accept=".tar.gz,.tgz,application/gzip"
          onChange={({ target }) => target.files?.[0] && onSource(archiveSource(target.files[0]))}
        />
      </div>
      {source && source.packages.length > 0 && <Packages names={source.packages} />}
    </>
  );
}

function Packages({ names }: { names: string[] }) {
  return (
    <Notice kind="warning">
      <p>
        A folder dropped here cannot bundle npm packages: {names.slice(0, 5).join(", ")}
        {names.length > 5 && ` and ${names.length - 5} more`} {names.length === 1 ? "stays" : "stay"} behind with
        node_modules. If modules import {names.length === 1 ? "it" : "them"}, bundle the module first and drop the
        folder again:
      </p>
      <Code text="npx esbuild src/hello.ts --bundle --format=esm --outfile=modules/hello.js" />
    </Notice>
  );
}

declare module "react" {
  interface InputHTMLAttributes<T> {
    webkitdirectory?: string;
  }
}

/** Accepts drops anywhere on a page; otherwise the browser would leave the page and open the file. */
export function useDropOnPage(onSource: ((source: ProjectSource) => void) | undefined): void {
  useEffect(() => {
    const hasFiles = (event: globalThis.DragEvent) => event.dataTransfer?.types.includes("Files");
    const over = (event: globalThis.DragEvent) => hasFiles(event) && event.preventDefault();
    const drop = (event: globalThis.DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (onSource) droppedSource(event.dataTransfer!)?.then(onSource, (error) => toast(messageOf(error), "red"));
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
    };
  });
}
