import { z } from "zod";

export const permissionOptions = z.strictObject({
  permission: z
    .string()
    .regex(/^[A-Za-z0-9_.:*-]{1,64}$/, "must be 1 to 64 characters of A-Z, a-z, 0-9, _, ., :, * and -")
    .meta({ description: "The permission that the key must have, such as orders:read." }),
});

export type PermissionOptions = z.output<typeof permissionOptions>;
