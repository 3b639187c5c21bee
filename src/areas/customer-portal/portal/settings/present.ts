import { formatDateTime } from "../../../../lib/time/time.ts";
import { logoUrl } from "../logo.ts";
import type { PortalInput } from "../schema.ts";
import type { PortalRow } from "../store.ts";

/** The fields that are stored together, as JSON. */
export type PortalSettings = Omit<PortalInput, "isEnabled" | "host" | "logo" | "oidc"> & {
  /** The identity provider. Its secret is stored separately. */
  oidc?: { issuer: string; clientId: string };
};

/** The portal as the API shows it, without its address. */
export function presentPortal(row: PortalRow) {
  const logo = row.logo === null ? undefined : logoUrl({ type: row.logo_type!, bytes: Buffer.from(row.logo) });
  return {
    id: row.id,
    isEnabled: row.is_enabled === 1,
    ...(row.host === null ? {} : { host: row.host }),
    ...settingsOf(row),
    ...(logo === undefined ? {} : { logo }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

export function settingsOf({ settings }: { settings: string }): PortalSettings {
  return JSON.parse(settings) as PortalSettings;
}
