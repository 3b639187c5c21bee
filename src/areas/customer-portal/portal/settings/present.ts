import { formatDateTime } from "../../../../lib/time/time.ts";
import { logoUrl } from "../logo.ts";
import type { PortalInput } from "../schema.ts";

/** The fields that are stored together, as JSON. */
export type PortalSettings = Omit<PortalInput, "isEnabled" | "host" | "logo" | "oidc"> & {
  /** The identity provider. Its secret is stored separately. */
  oidc?: { issuer: string; clientId: string };
};

interface PresentedRow {
  id: string;
  name: string;
  host: string | null;
  is_enabled: number;
  settings: string;
  logo: Uint8Array | null;
  logo_type: string | null;
  created_on: number;
  updated_on: number;
}

/** The portal as the API shows it, without its address. */
export function presentPortal(row: PresentedRow) {
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
