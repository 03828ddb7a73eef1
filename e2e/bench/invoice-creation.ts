import type { Line } from './line.ts';

export async function invoiceCreation(): Promise<Line[]> {
  return [];
}
