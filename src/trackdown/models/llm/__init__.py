"""Language models that write and choose: always optional, every answer kept, every token counted."""
