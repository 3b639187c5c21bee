import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { BuildError } from "../../../../client/index.ts";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { useUnmounted } from "../../../lib/use-unmounted.ts";
import { useSession } from "../../queries/session.tsx";
import type { ShownError, Steps } from "./build-progress.tsx";

/** Reads lines of files in a gzip tar, for build errors. Returns nothing if the data is not such an archive. */
async function lineOfArchive(archive: Blob, file: string, line: number): Promise<string | undefined> {
  try {
    const stream = archive.stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const content = fileIn(bytes, file);
    return content && new TextDecoder().decode(content).split("\n")[line - 1];
  } catch {
    return undefined;
  }
}

const block = 512;

function fileIn(bytes: Uint8Array, wanted: string): Uint8Array | undefined {
  const text = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8) || 0;
    const prefix = text(at + 345, 155);
    const name = `${prefix ? `${prefix}/` : ""}${text(at, 100)}`.replace(/^\.\//, "");
    if (name === wanted || name.endsWith(`/${wanted}`)) return bytes.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
  }
  return undefined;
}

interface Upload {
  archive: Blob;
  project: string;
  branch: string;
  note?: string;
}

/** Uploads, builds and starts a project. `onDeployed` is not called after the dialog was hidden. */
export function useDeploy(onDeployed: (name: string) => void) {
  const isUnmounted = useUnmounted();
  const { api } = useSession();
  const [steps, setSteps] = useState<Steps>({});
  const [errors, setErrors] = useState<ShownError[]>([]);
  const deploy = useMutation({
    mutationFn: async ({ archive, project, branch, note }: Upload) => {
      setSteps({ upload: { status: "IN_PROGRESS" } });
      setErrors([]);
      return api.deploy(archive, {
        project,
        branch,
        note,
        onStep: ({ name, ...step }) => setSteps((known) => ({ ...known, [name]: step })),
      });
    },
    onSuccess: ({ name }, { project }) => {
      toast(`${project} is live`);
      if (!isUnmounted.current) onDeployed(name);
    },
    onError: async (error, { archive, project }) => {
      if (isUnmounted.current) return toast(`${project} was not deployed. ${messageOf(error)}`, "red");
      if (!(error instanceof BuildError)) return setSteps({});
      setErrors(
        await Promise.all(
          error.errors.map(async (found) => ({
            ...found,
            source: await lineOfArchive(archive, found.file, found.line),
          })),
        ),
      );
    },
  });
  return { deploy, steps, errors, isStarted: Object.keys(steps).length > 0 };
}
