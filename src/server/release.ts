import packageJson from "../../package.json" with { type: "json" };

/** Processes of one machine work together only if they have the same release. */
export const release = packageJson.version;
