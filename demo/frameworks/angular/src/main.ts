import { provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { Shop } from './shop';

void bootstrapApplication(Shop, { providers: [provideZonelessChangeDetection()] });
