export declare function memoryFolder(parent?: string, room?: number): string | undefined;
