import { named, option } from "../arguments/values.ts";
import { projectNameOf } from "./project-name.ts";

/** Selects the project. */
export const projectOption = {
  project: option("the project's name; by default the name of this folder", named("NAME")),
};

export function projectOf({ project }: { project?: string | undefined }): string {
  return project ?? projectNameOf(".");
}
