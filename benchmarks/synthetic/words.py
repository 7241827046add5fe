"""The vocabulary: words that developers name things with."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


VERBS = _words("""
    Get Set Create Build Write Read TryParse Parse Add Remove Load Save Open Close Validate
    Serialize On Is Has Can Apply Resolve Register Update Delete Find Fetch Compute Calculate
    Convert Handle Process Publish Subscribe Start Stop Cancel Complete Merge Split Sort Filter Map
    Ensure Initialize Reset Refresh Render Dispatch Enqueue Flush Invoke Execute Import Export Send
    Receive Tell Verify Normalize Format Copy Move Clear Append Attach
""")
NOUNS = _words("""
    Account Action Address Agent Alert Amount Archive Argument Array Article Asset Assembly
    Attribute Audit Balance Bank Batch Binary Binding Block Booking Branch Bridge Budget Buffer
    Bundle Cache Calendar Campaign Card Carrier Cart Catalog Category Cell Channel Chart Check Claim
    Client Cluster Code Collection Color Column Command Comment Company Component Condition Config
    Connection Constraint Contact Container Content Context Contract Control Coupon Course
    Credential Culture Currency Cursor Customer Data Date Deadline Deal Decision Delivery Department
    Deposit Design Device Diagnostic Dialog Dictionary Digest Directory Discount Document Domain
    Draft Driver Edge Editor Element Email Employee Endpoint Entity Entry Enum Error Event Exception
    Exchange Expense Expression Feature Feed Field File Filter Flag Folder Font Form Format Frame
    Function Gateway Graph Grid Group Handle Header History Holiday Host Http Icon Identity Image
    Index Invoice Issue Item Job Journal Json Key Label Layer Layout Ledger Lesson License Line Link
    List Listing Loan Locale Location Lock Log Machine Mail Manifest Map Market Member Memory Menu
    Merchant Message Metadata Method Metric Migration Mode Model Module Money Movie Network Node
    Note Notice Number Object Offer Office Operand Option Order Owner Package Page Parameter Part
    Partner Password Path Patient Payment Payroll Period Permission Person Phase Phone Photo Picture
    Plan Player Plugin Point Policy Pool Port Position Price Printer Priority Process Product
    Profile Program Project Promotion Property Proposal Protocol Proxy Purchase Quantity Query Queue
    Quota Quote Range Rate Reason Receipt Record Reference Refund Region Release Report Request
    Reservation Resource Response Result Return Review Reward Role Room Root Route Row Rule Salary
    Sample Schedule Schema Scope Score Screen Season Section Sector Segment Sensor Sequence Series
    Server Session Setting Shape Share Shift Shipment Shop Signal Site Size Skill Slot Snapshot
    Socket Source Span Stage State Statement Station Status Step Stock Storage Store Stream String
    Student Style Subject Subscription Summary Supplier Survey Symbol Syntax System Table Tag Target
    Task Tax Team Template Tenant Term Text Theme Thread Ticket Time Title Token Topic Total Track
    Trade Transaction Transfer Tree Trigger Trip Type Unit Update Upload Url User Value Variable
    Vehicle Vendor Version Video View Visit Volume Voucher Wallet Warehouse Widget Window Worker Xml
    Year Zone
""")
ADJECTIVES = _words("""
    Active Async Available Base Cached Composite Concurrent Current Custom Default Deferred Dynamic
    Empty External Final Global Hidden Immutable Initial Inner Internal Invalid Last Lazy Local Max
    Min Mutable Named Nested Next Null Optional Outer Parallel Pending Primary Public Raw Remote
    Safe Secondary Shared Simple Static Synthetic Temporary Typed Unique Unknown Valid Virtual Weak
""")
SUFFIXES = _words("""
    Service Repository Controller Factory Builder Provider Manager Handler Validator Converter
    Options Settings Extensions Helper Adapter Resolver Reader Writer Parser Serializer Policy
    Strategy Visitor Comparer Collection Context Exception Attribute Event Command Query Request
    Response Result Dto Model View Middleware Client Cache Tests Fixture Mapper Registry Dispatcher
    Scheduler Monitor Processor Formatter Generator Descriptor Metadata
""")
AREAS = _words("""
    Billing Catalog Checkout Compliance Core Data Delivery Diagnostics Documents Identity
    Integration Inventory Learning Logistics Marketing Media Messaging Monitoring Navigation
    Notifications Ordering Payments Planning Platform Pricing Procurement Reporting Rendering
    Scheduling Search Security Shipping Storage Support Telemetry Tenancy Tooling Web Workflow
""")
LAYERS = _words("""
    Abstractions Api Application Contracts Domain Infrastructure Internal Persistence Runtime Shared
""")
FRAMEWORK_NAMESPACES = _words("""
    System System.Collections.Generic System.Linq System.Threading System.Threading.Tasks
    System.Text System.IO System.Globalization System.Diagnostics System.Net.Http
    System.ComponentModel System.Text.Json
""")
FRAMEWORK_TYPES = _words("""
    string int bool long decimal double object DateTime Guid TimeSpan byte[] string? Uri
    CancellationToken Exception IEnumerable<string> List<int> Task Task<bool> ValueTask<int>
    Dictionary<string,object?> Func<string,bool> IReadOnlyList<Guid> (int,string) int? Stream Type
""")
