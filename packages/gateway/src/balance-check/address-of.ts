/** The address in a watch key of a chain with addresses. */
export const addressOf = (watchKey: string): string => watchKey.slice(watchKey.indexOf(':') + 1);
