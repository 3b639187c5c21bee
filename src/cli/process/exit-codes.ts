export const exitCodes = { success: 0, failed: 1, usage: 2, noConnection: 3, interrupted: 130 } as const;
