import type { PublishedApi } from "../../client/transport/portal-schema.gen.ts";

/** An API with the pages of its reference and guides: one that a portal publishes, or the management API. */
export interface ReferenceApi extends Pick<PublishedApi, "title" | "version" | "guides" | "reference"> {
  /** The path of its pages. */
  base: string;
  /** The address of the API. */
  url: string;
  /** What samples send as the key. */
  key: string;
}
